"""run_functions.py FOLDER TOLERANCE: calls every function @NAME of FOLDER/run.py by itself. The entry's parameters NAME.i
are its operands, the entry's results NAME_y.i what it gives. Prints the worst difference and every one that is too large."""
import importlib.util
import sys
import traceback

import torch

folder, tolerance = sys.argv[1], float(sys.argv[2])
spec = importlib.util.spec_from_file_location("run", folder + "/run.py")
run = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run)
_, _, files, _, numbers = run.PROGRAMS[0]
run.numbers.extend(numbers)
parameters, results = files()
inputs, outputs = run.Store(folder + "/example/inputs"), run.Store(folder + "/example/outputs")
operands, expected = {}, {}
for name, like in parameters:
    operands.setdefault(name.rsplit(".", 1)[0], []).append(inputs.read(name, like))
for name in results:
    expected.setdefault(name.rsplit("_y.", 1)[0], []).append(name)
failures, worst = 0, (0.0, "none")
torch.set_grad_enabled(False)
for name, wanted in expected.items():
    try:
        given = getattr(run, name)(*operands.get(name, []))
        given = (given,) if len(wanted) == 1 else given
        off = max(run.difference(ours, outputs.read(file, run.like_of(ours))) for ours, file in zip(given, wanted))
        types = [(ours.dtype, outputs.read(file).dtype) for ours, file in zip(given, wanted) if torch.is_tensor(ours)]
        wrong = [pair for pair in types if pair[0] != pair[1]]
        if off <= tolerance and not wrong:
            worst = max(worst, (off, name))
            continue
        print("%s: difference %g %s" % (name, off, wrong or ""))
    except (Exception, SystemExit):
        print("%s: %s" % (name, traceback.format_exc()))
    failures += 1
print("%d functions, worst difference %.3g (%s), %d failures" % (len(expected), *worst, failures))
sys.exit(1 if failures else 0)
