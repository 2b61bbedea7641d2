import time
import copy
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset, Subset


class LungSlices(Dataset):
    def __init__(self, n=48, size=16):
        g = torch.Generator().manual_seed(0)
        self.mask = (torch.rand(n, 1, size // 4, size // 4, generator=g) > 0.6).float().repeat_interleave(4, 2).repeat_interleave(4, 3)
        self.image = self.mask * 0.8 + 0.3 * torch.randn(n, 1, size, size, generator=g)

    def __len__(self):
        return len(self.mask)

    def __getitem__(self, i):
        return self.image[i], self.mask[i]


class TverskyLoss(nn.Module):
    def __init__(self, alpha=0.3, beta=0.7):
        super().__init__()
        self.alpha, self.beta = alpha, beta

    def forward(self, logits, target):
        p = torch.sigmoid(logits)
        tp = (p * target).sum((1, 2, 3))
        fp = (p * (1 - target)).sum((1, 2, 3))
        fn = ((1 - p) * target).sum((1, 2, 3))
        return 1 - ((tp + 1) / (tp + self.alpha * fp + self.beta * fn + 1)).mean()


def train_model(model, criterion, optimizer, scheduler, loaders, device, num_epochs=3):
    since = time.time()
    best_state, best_dice = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        for phase in ("train", "val"):
            training = phase == "train"
            model.train(training)
            running_loss, inter, size = 0.0, 0.0, 0.0
            for inputs, masks in loaders[phase]:
                inputs, masks = inputs.to(device), masks.to(device)
                with torch.set_grad_enabled(training):
                    outputs = model(inputs)
                    loss = criterion(outputs, masks)
                    if training:
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                hard = (outputs > 0).float()
                inter += 2 * (hard * masks).sum().item()
                size += (hard.sum() + masks.sum()).item()
            if training:
                scheduler.step()
            dice = inter / max(size, 1.0)
            print(f"{epoch} {phase} loss {running_loss / len(loaders[phase].dataset):.4f} dice {dice:.3f}")
            if not training and dice > best_dice:
                best_dice, best_state = dice, copy.deepcopy(model.state_dict())
    print(f"{time.time() - since:.1f} s, best dice {best_dice:.3f}")
    model.load_state_dict(best_state)
    return model


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    data = LungSlices()
    loaders = {
        "train": DataLoader(Subset(data, range(36)), batch_size=12, shuffle=True),
        "val": DataLoader(Subset(data, range(36, 48)), batch_size=12),
    }
    net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 1, 1))
    net = net.to(device)
    opt = optim.Adam(net.parameters(), lr=1e-2)
    train_model(net, TverskyLoss(), opt, optim.lr_scheduler.StepLR(opt, 2, 0.1), loaders, device)
