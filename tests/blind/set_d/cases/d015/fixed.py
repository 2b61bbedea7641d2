import gc

import torch


def release(model):
    del model
    gc.collect()
    torch.cuda.empty_cache()


def memory_report():
    if not torch.cuda.is_available():
        return "cpu only"
    return f"{torch.cuda.memory_allocated() / 2**20:.1f} MiB"
