"""run_ranks.py TOLERANCE FOLDER:RANKS...: runs FOLDER/run.py --check FOLDER/example in as many processes, one case after
the other. The processes are forked, so that torch is imported once."""
import os
import runpy
import socket
import sys
import traceback

import torch
import torch.distributed


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_rank(folder, rank, ranks, port, tolerance):
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks))
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    sys.argv = [folder + "/run.py", "--backend", "gloo", "--check", folder + "/example", "--tolerance", tolerance]
    runpy.run_path(folder + "/run.py", run_name="__main__")


def main():
    tolerance, failures = sys.argv[1], 0
    torch.set_num_threads(1)
    for case in sys.argv[2:]:
        folder, ranks = case.rsplit(":", 1)
        port, children = free_port(), []
        print("case %s" % case, flush=True)
        for rank in range(int(ranks)):
            child = os.fork()
            if child == 0:
                try:
                    run_rank(folder, rank, int(ranks), port, tolerance)
                except SystemExit as end:
                    sys.stdout.flush()
                    if isinstance(end.code, str):
                        print(end.code, flush=True)
                    os._exit(0 if not end.code else 1)
                except BaseException:
                    traceback.print_exc()
                sys.stderr.flush()
                os._exit(1)
            children.append(child)
        failures += sum(os.waitpid(child, 0)[1] != 0 for child in children)
    sys.exit(1 if failures else 0)


main()
