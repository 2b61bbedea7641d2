# Where does the chest X-ray model look? Grad-CAM plus gradient norms per stage.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class XRayNet(nn.Module):
    def __init__(self, findings=4):
        super().__init__()
        self.stage1 = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU())
        self.stage2 = nn.Sequential(nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU())
        self.stage3 = nn.Sequential(nn.Conv2d(16, 24, 3, 1, 1), nn.ReLU())
        self.fc = nn.Linear(24, findings)
        self.kept = {}

    def forward(self, x, keep=False):
        self.kept.clear()
        for name in ("stage1", "stage2", "stage3"):
            x = getattr(self, name)(x)
            if keep and x.requires_grad:
                x.retain_grad()
                self.kept[name] = x
        return self.fc(x.mean((2, 3)))


model = XRayNet().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
pos_weight = torch.tensor([2.0, 1.0, 4.0, 1.5], device=device)

for step in range(4):
    x = torch.rand(4, 1, 32, 32, device=device)
    y = (torch.rand(4, 4, device=device) > 0.7).float()
    log = step == 3
    loss = F.binary_cross_entropy_with_logits(model(x, keep=log), y, pos_weight=pos_weight)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if log:
        print({k: round(v.grad.norm().item(), 6) for k, v in model.kept.items()})


def grad_cam(image, finding):
    model.eval()
    model.zero_grad()
    score = model(image.unsqueeze(0), keep=True)[0, finding]
    score.backward()
    fmap = model.kept["stage3"]
    weights = fmap.grad.mean(dim=(2, 3), keepdim=True)
    cam = F.relu((weights * fmap.detach()).sum(1, keepdim=True))
    cam = F.interpolate(cam, size=image.shape[-2:], mode="bilinear", align_corners=False)[0, 0]
    model.zero_grad()
    return (cam / cam.max().clamp(min=1e-8)).cpu().numpy()


image = torch.rand(1, 32, 32, device=device)
maps = np.stack([grad_cam(image, k) for k in range(4)])
print("hot pixels per finding", (maps > 0.5).reshape(4, -1).mean(1))
