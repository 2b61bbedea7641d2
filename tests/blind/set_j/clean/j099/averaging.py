import torch
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn


class SWA:
    def __init__(self, model, optimizer, start):
        self.model, self.start = model, start
        self.avg = AveragedModel(model)
        self.sched = SWALR(optimizer, swa_lr=0.02, anneal_epochs=2)

    def after_epoch(self, epoch):
        if epoch >= self.start:
            self.avg.update_parameters(self.model)
            self.sched.step()

    def finish(self, batches):
        update_bn((x for x, _ in batches), self.avg)
        return self.avg


@torch.no_grad()
def error(model, batches):
    training = model.training
    model.eval()
    wrong = sum((model(x).argmax(1) != y).sum() for x, y in batches)
    model.train(training)
    return wrong.item() / sum(y.numel() for _, y in batches)
