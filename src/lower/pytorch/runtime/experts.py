def moe_seats(gates, capacity):
    """[g,s,e,c]: whether a token sits in place c of an expert's buffer; the first that ask for it do."""
    asked = gates != 0
    places = asked.to(int64).cumsum(1) - 1
    return asked.unsqueeze(-1) & (places.unsqueeze(-1) == torch.arange(capacity, device=gates.device))


def moe_weights(gates, capacity, weighted):
    seats = moe_seats(gates, capacity).to(gates.dtype)
    return seats * gates.unsqueeze(-1) if weighted else seats


def moe_combine(y, gates, weighted):
    return torch.einsum("gsec,egch->gsh", moe_weights(gates, y.shape[2], weighted), y)


def moe_dispatch(x, gates, capacity, weighted):
    return torch.einsum("gsec,gsh->egch", moe_weights(gates, capacity, weighted), x)


def moe_gate_grad(y, gates, x):
    return torch.einsum("gsec,egch,gsh->gse", moe_seats(gates, y.shape[2]).to(gates.dtype), y, x)
