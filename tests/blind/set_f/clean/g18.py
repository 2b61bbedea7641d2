import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4, 3)
        self.maps = None

    def forward(self, x):
        self.maps = torch.relu(self.conv(x))
        return self.fc(self.maps.mean((2, 3)))


def class_saliency(net, image):
    """Gradient of every class score for the input, from one forward pass."""
    image = image.detach().clone().requires_grad_(True)
    scores = net(image)
    maps = []
    for k in range(scores.size(1)):
        (g,) = torch.autograd.grad(scores[0, k], image, retain_graph=k < scores.size(1) - 1)
        maps.append(g.abs())
    return torch.cat(maps)


def grad_cam(net, image, k):
    net.zero_grad(set_to_none=True)
    scores = net(image)
    net.maps.retain_grad()
    scores[:, k].sum().backward()
    weights = net.maps.grad.mean((2, 3), keepdim=True)
    return torch.relu((weights * net.maps).sum(1)).detach()


def fgsm(net, image, label, eps=0.1):
    adv = image.clone().detach().requires_grad_()
    loss = nn.functional.cross_entropy(net(adv), label)
    net.zero_grad()
    loss.backward()
    return (adv + eps * adv.grad.sign()).clamp(0, 1).detach()


def pgd(net, image, label, steps=3, alpha=0.02, eps=0.1):
    delta = torch.zeros_like(image, requires_grad=True)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(net(image + delta), label)
        loss.backward()
        delta.data = (delta + alpha * delta.grad.sign()).data.clamp(-eps, eps)
        delta.grad.zero_()
    return (image + delta).detach()


if __name__ == "__main__":
    net = Net().eval()
    img, lab = torch.rand(1, 1, 8, 8), torch.tensor([1])
    print(class_saliency(net, img).shape, grad_cam(net, img, 2).numpy().max())
    print((fgsm(net, img, lab) - img).abs().max().item(), (pgd(net, img, lab) - img).abs().max().item())
