import io

import torch


def save_portable(model, path):
    """Writes a copy that also opens on machines without a GPU."""
    cpu_model = model.to("cpu")
    cpu_model.eval()
    state = cpu_model.state_dict()
    buffer = io.BytesIO()
    torch.save({"state": state, "n": len(state)}, buffer)
    with open(path, "wb") as f:
        f.write(buffer.getvalue())
