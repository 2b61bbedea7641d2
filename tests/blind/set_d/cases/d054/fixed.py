import torch


def split_state(state, parts=3):
    chunks = list(state.chunk(parts, dim=-1))
    for i in range(1, parts):
        chunks[i] = chunks[i].detach()
    return torch.cat(chunks, dim=-1)
