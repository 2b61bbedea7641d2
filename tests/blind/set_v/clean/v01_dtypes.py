import torch
from torch import nn

# names under which old dumps recorded their tensor type
LEGACY = {
    "torch.FloatTensor": torch.float32,
    "torch.cuda.FloatTensor": torch.float32,
    "torch.cuda.HalfTensor": torch.float16,
    "torch.cuda.LongTensor": torch.int64,
}

torch.set_default_dtype(torch.float32)


def revive(record, device):
    """A record is (type name, shape, flat list) as the 0.4 exporter wrote it."""
    kind, shape, flat = record
    return torch.tensor(flat, dtype=LEGACY[kind], device=device).reshape(shape)


def walk(tree, fn):
    if isinstance(tree, torch.Tensor):
        return fn(tree)
    if isinstance(tree, dict):
        return {k: walk(v, fn) for k, v in tree.items()}
    return [walk(v, fn) for v in tree]


def describe(t: torch.Tensor) -> str:
    return f"{tuple(t.shape)} {t.dtype} {t.device.type}"


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
dump = {
    "weight": ("torch.cuda.FloatTensor", (3, 4), [0.1 * i for i in range(12)]),
    "bias": ("torch.cuda.HalfTensor", (3,), [0.5, 0.25, 0.0]),
}

state = {k: revive(v, device) for k, v in dump.items()}
state = walk(state, lambda t: t.float())
layer = nn.Linear(4, 3).to(device)
layer.load_state_dict(state)
with torch.no_grad(), torch.amp.autocast(device.type, enabled=False):
    out = layer(torch.ones(2, 4, device=device))
print(walk(state, describe), out.sum().item())
