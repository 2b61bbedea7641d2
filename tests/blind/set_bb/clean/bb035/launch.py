import os
import torch
import torch.distributed as dist


def env_int(name, default):
    return int(os.environ.get(name, default))


class World:
    def __init__(self):
        self.rank = env_int("RANK", 0)
        self.size = env_int("WORLD_SIZE", 1)
        self.local = env_int("LOCAL_RANK", 0)
        if torch.cuda.is_available():
            torch.cuda.set_device(self.local)
            self.device = torch.device("cuda", self.local)
        else:
            self.device = torch.device("cpu")
        if self.size > 1:
            dist.init_process_group("nccl" if self.device.type == "cuda" else "gloo")

    @property
    def main(self):
        return self.rank == 0

    def wrap(self, model):
        model = model.to(self.device)
        if self.size > 1:
            ids = [self.local] if self.device.type == "cuda" else None
            return torch.nn.parallel.DistributedDataParallel(model, device_ids=ids)
        return model

    def mean(self, t):
        if self.size > 1:
            t = t.clone()
            dist.all_reduce(t)
            t = t / self.size
        return t

    def barrier(self):
        if self.size > 1:
            dist.barrier()
