import torch


def accuracy(model, loader, device):
    was_training = model.training
    model.eval()
    torch.set_grad_enabled(False)
    correct = total = 0
    for x, y in loader:
        pred = model(x.to(device)).argmax(dim=1)
        correct += (pred == y.to(device)).sum().item()
        total += y.numel()
    model.train(was_training)
    return correct / total
