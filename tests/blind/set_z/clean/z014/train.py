import argparse
import logging

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import engine


def init_distributed_mode(args):
    args.distributed = args.world_size > 1
    args.gpu = 0
    if args.distributed:
        torch.distributed.init_process_group("nccl")


def main(args):
    init_distributed_mode(args)
    device = torch.device(args.device if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Flatten(), nn.Linear(48, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 4))
    model.to(device)
    model_without_ddp = model
    if args.distributed:
        model = nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
        model_without_ddp = model.module
    decay = [p for n, p in model_without_ddp.named_parameters() if p.ndim > 1]
    rest = [p for n, p in model_without_ddp.named_parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05},
                                   {"params": rest, "weight_decay": 0.0}], lr=args.lr)
    ds = TensorDataset(torch.randn(20, 3, 4, 4), torch.randint(0, 4, (20,)))
    loader = DataLoader(ds, args.batch_size, shuffle=True)
    steps = args.epochs * -(-len(loader) // args.accum)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for epoch in range(args.epochs):
        engine.train_one_epoch(model, nn.CrossEntropyLoss(), loader, optimizer, device, epoch, scheduler,
                               args.accum, 1.0, args.distributed)
        print("acc", engine.evaluate(model, loader, device))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    p = argparse.ArgumentParser()
    p.add_argument("--device", default="cuda")
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=4)
    p.add_argument("--accum", type=int, default=1)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--world-size", type=int, default=1)
    main(p.parse_args())
