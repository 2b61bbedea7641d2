import torch


def split_state(state, parts=3):
    chunks = list(state.chunk(parts, dim=-1))
    for i in range(1, parts):
        chunks[i].detach_()
    return torch.cat(chunks, dim=-1)
