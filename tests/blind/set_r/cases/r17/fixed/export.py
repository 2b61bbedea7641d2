import io

import torch


def save_portable(model, path):
    """Writes a copy that also opens on machines without a GPU."""
    state = {k: v.cpu() for k, v in model.state_dict().items()}
    buffer = io.BytesIO()
    torch.save({"state": state, "n": len(state)}, buffer)
    with open(path, "wb") as f:
        f.write(buffer.getvalue())
