import torch


def make_optimizer(model, lr, wd=1e-4):
    """Ten times the learning rate for the head."""
    head = {id(p) for p in model.fc.parameters()}
    body = [p for p in model.parameters() if id(p) not in head]
    groups = [{"params": body, "lr": lr}, {"params": list(model.fc.parameters()), "lr": 10 * lr}]
    optimizer = torch.optim.SGD(groups, momentum=0.9, weight_decay=wd)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
    return optimizer, scheduler
