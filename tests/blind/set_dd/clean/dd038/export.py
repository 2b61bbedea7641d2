import copy
import io

import torch


def host_copy(model):
    """An independent copy on the host that later updates do not touch."""
    return copy.deepcopy(model).cpu().eval()


@torch.no_grad()
def check(model, example):
    out = model(example)
    assert out.device.type == "cpu"
    return bool(torch.isfinite(out).all())


def to_bytes(model):
    buf = io.BytesIO()
    torch.save(model.state_dict(), buf)
    return buf.getvalue()


def from_bytes(blob, model, device):
    state = torch.load(io.BytesIO(blob), map_location="cpu", weights_only=True)
    model.load_state_dict(state)
    return model.to(device)
