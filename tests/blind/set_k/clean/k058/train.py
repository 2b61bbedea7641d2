import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

from models import SeqModel


def setup(gpus):
    available = torch.cuda.device_count() if torch.cuda.is_available() else 0
    ids = [g for g in gpus if g < available]
    device = torch.device("cuda", ids[0]) if ids else torch.device("cpu")
    model = SeqModel().to(device)
    if len(ids) > 1:
        model = nn.DataParallel(model, device_ids=ids, output_device=ids[0])
    return model, device


def bare(model):
    return getattr(model, "module", model)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpus", type=int, nargs="*", default=[0])
    parser.add_argument("--steps", type=int, default=5)
    args = parser.parse_args()
    model, device = setup(args.gpus)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(args.steps):
        start = torch.randint(0, 32, (8, 1), device=device)
        ids = (start + torch.arange(11, device=device)) % 32
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.transpose(1, 2), ids[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, f"{loss.item():.3f}")
    state = {k: v.cpu() for k, v in bare(model).state_dict().items()}
    print(len(state), "tensors on the host")


if __name__ == "__main__":
    main()
