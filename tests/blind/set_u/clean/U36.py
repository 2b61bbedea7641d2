import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class FGSM:
    def __init__(self, model, eps=0.03):
        self.model, self.eps = model, eps

    def __call__(self, x, y):
        x = x.detach().clone().to(device).requires_grad_(True)
        (g,) = torch.autograd.grad(F.cross_entropy(self.model(x), y), x)
        return (x + self.eps * g.sign()).detach()


class PGD(FGSM):
    def __init__(self, model, eps=0.03, steps=4):
        super().__init__(model, eps)
        self.steps = steps

    def __call__(self, x, y):
        x = x.to(device)
        delta = torch.zeros(x.shape).uniform_(-self.eps, self.eps).to(device)
        delta.requires_grad_(True)
        opt = torch.optim.SGD([delta], lr=self.eps / 2)
        for _ in range(self.steps):
            opt.zero_grad()
            (-F.cross_entropy(self.model(x + delta), y)).backward()
            opt.step()
            with torch.no_grad():
                delta.clamp_(-self.eps, self.eps)
        return (x + delta).detach()


model = nn.Sequential(nn.Flatten(), nn.Linear(3 * 8 * 8, 32), nn.ReLU(), nn.Linear(32, 5)).to(device).eval()
for p in model.parameters():
    p.requires_grad_(False)
images = torch.rand(6, 3, 8, 8)
labels = torch.randint(0, 5, (6,)).to(device)

for attack in (FGSM(model), PGD(model)):
    adv = attack(images, labels)
    acc = (model(adv).argmax(1) == labels).float().mean().item()
    print(type(attack).__name__, f"{acc:.2f}", adv.is_leaf)

# style image optimised directly, double precision copy of a moved tensor
canvas = images[:1].to(device).double().requires_grad_()
opt = torch.optim.LBFGS([canvas], max_iter=3)
target = torch.rand(1, 3, 8, 8, dtype=torch.float64).to(device)


def closure():
    opt.zero_grad()
    loss = F.mse_loss(canvas.mean(dim=(2, 3)), target.mean(dim=(2, 3)))
    loss.backward()
    return loss


print(opt.step(closure).item())
