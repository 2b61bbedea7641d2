import os

import torch


def save(path, **objects):
    state = {k: v.state_dict() if hasattr(v, "state_dict") else v for k, v in objects.items()}
    state["rng"] = torch.get_rng_state()
    tmp = path + ".tmp"
    torch.save(state, tmp)
    os.replace(tmp, path)


def restore(path, device, **objects):
    state = torch.load(path, map_location=device, weights_only=True)
    for k, obj in objects.items():
        obj.load_state_dict(state[k])
    torch.set_rng_state(state["rng"].cpu())
    return state
