import torch
import torch.nn as nn
import torch.nn.functional as F


class GradCAM:
    def __init__(self, model, layer):
        self.model, self.acts = model, None
        self.handle = layer.register_forward_hook(self._save)

    def _save(self, module, inputs, output):
        output.retain_grad()
        self.acts = output

    def __call__(self, x, index=None):
        self.model.eval()
        logits = self.model(x)
        index = logits.argmax(1) if index is None else index
        self.model.zero_grad()
        logits.gather(1, index[:, None]).sum().backward()
        with torch.no_grad():
            w = self.acts.grad.mean((2, 3), keepdim=True)
            cam = F.relu((w * self.acts).sum(1, keepdim=True))
            cam = F.interpolate(cam, x.shape[-2:], mode="bilinear", align_corners=False)
            cam = cam / cam.amax((2, 3), keepdim=True).clamp(min=1e-8)
        return cam.squeeze(1).cpu().numpy(), index.tolist()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.handle.remove()
        self.acts = None


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1))
        self.fc = nn.Linear(16, 4)

    def forward(self, x):
        return self.fc(F.relu(self.features(x)).mean((2, 3)))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = CNN().to(device)
with GradCAM(net, net.features[2]) as cam:
    maps, labels = cam(torch.rand(2, 3, 16, 16, device=device))
print(maps.shape, maps.max(), labels)
