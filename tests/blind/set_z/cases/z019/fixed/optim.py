import torch


def param_groups(model, weight_decay):
    skip = model.no_weight_decay() if hasattr(model, "no_weight_decay") else set()
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        if not p.requires_grad:
            continue
        (no_decay if p.ndim <= 1 or name in skip else decay).append(p)
    return [{"params": decay, "weight_decay": weight_decay}, {"params": no_decay, "weight_decay": 0.0}]


def create_optimizer(args, model):
    groups = param_groups(model, args.weight_decay)
    if args.opt == "adamw":
        return torch.optim.AdamW(groups, lr=args.lr)
    if args.opt == "sgd":
        return torch.optim.SGD(groups, lr=args.lr, momentum=0.9)
    raise ValueError(args.opt)
