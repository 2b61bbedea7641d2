import torch
import torch.nn.functional as F

from backbone import ResNetish, freeze_bn
from utils import AverageMeter, accuracy, warmup_cosine

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def finetune(model, data, epochs=4, unfreeze_at=2):
    x, y = data
    model.freeze()
    opt = torch.optim.SGD([{"params": model.fc.parameters(), "lr": 0.1},
                           {"params": model.features.parameters(), "lr": 0.01}], momentum=0.9)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, warmup_cosine(1, epochs))
    for epoch in range(epochs):
        if epoch == unfreeze_at:
            model.unfreeze()
        model.train()
        freeze_bn(model.features)
        loss_m, acc_m = AverageMeter(), AverageMeter()
        for i in torch.randperm(len(x)).split(16):
            bx, by = x[i].to(device), y[i].to(device)
            out = model(bx)
            loss = F.cross_entropy(out, by)
            opt.zero_grad()
            loss.backward()
            opt.step()
            loss_m.update(loss.item(), len(i))
            acc_m.update(accuracy(out, by)[0].item(), len(i))
        sched.step()
        print(epoch, loss_m, acc_m)


if __name__ == "__main__":
    labels = torch.arange(64) % 4
    images = torch.randn(64, 3, 12, 12) + labels.view(-1, 1, 1, 1) * 0.3
    finetune(ResNetish(4).to(device), (images, labels))
