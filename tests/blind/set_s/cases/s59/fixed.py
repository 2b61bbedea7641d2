import torch
import torch.nn as nn
import torch.nn.functional as F


class PoseHead(nn.Module):
    def __init__(self, joints=4):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU())
        self.heat = nn.Conv2d(8, joints, 1)

    def forward(self, x):
        return self.heat(self.body(x))


def soft_argmax(heat):
    b, j, h, w = heat.shape
    p = heat.flatten(2).softmax(-1).view(b, j, h, w)
    ys = torch.linspace(0, 1, h, device=heat.device)
    xs = torch.linspace(0, 1, w, device=heat.device)
    return torch.stack([(p.sum(2) * xs).sum(-1), (p.sum(3) * ys).sum(-1)], dim=-1)


@torch.no_grad()
def predict(model, images, batch_size, device):
    model.eval()
    coords, peaks = [], []
    for chunk in images.split(batch_size):
        heat = model(chunk.to(device))
        coords.append(soft_argmax(heat).cpu())
        peaks.append(heat.flatten(2).amax(-1).cpu())
    return torch.cat(coords), torch.cat(peaks)


def train(model, images, joints, device, epochs=3):
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(epochs):
        for x, y in zip(images.split(8), joints.split(8)):
            loss = F.l1_loss(soft_argmax(model(x.to(device))), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = PoseHead().to(device)
    images, joints = torch.rand(24, 1, 8, 8), torch.rand(24, 4, 2)
    print("train", train(model, images, joints, device))
    coords, peaks = predict(model, images, 8, device)
    print("pck", ((coords - joints).norm(dim=-1) < 0.3).float().mean().item(), "conf", peaks.mean().item())
