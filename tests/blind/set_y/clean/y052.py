import torch
import torch.nn.functional as F
from torch import nn


class GradCAM:
    def __init__(self, model, layer):
        self.model = model
        self.activations = self.gradients = None
        self.handles = [layer.register_forward_hook(self._save)]

    def _save(self, module, args, output):
        self.activations = output
        output.register_hook(self._save_grad)

    def _save_grad(self, grad):
        self.gradients = grad.detach()

    def __call__(self, x, index=None):
        self.model.zero_grad()
        logits = self.model(x)
        index = logits.argmax(-1) if index is None else index
        logits[torch.arange(len(x), device=x.device), index].sum().backward()
        weights = self.gradients.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.activations.detach()).sum(1, keepdim=True))
        cam = F.interpolate(cam, size=x.shape[-2:], mode="bilinear", align_corners=False)
        return cam / cam.amax(dim=(2, 3), keepdim=True).clamp(min=1e-8)

    def close(self):
        for h in self.handles:
            h.remove()


def token_importance(embedding, classifier, ids):
    vectors = embedding(ids)
    vectors.retain_grad()
    classifier(vectors.mean(1)).logsumexp(-1).sum().backward()
    return (vectors.grad * vectors.detach()).sum(-1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
cnn = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 12, 3, stride=2, padding=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 4),
).to(device).eval()
cam = GradCAM(cnn, cnn[2])
heat = cam(torch.rand(3, 3, 16, 16, device=device))
cam.close()
print(heat.shape, float(heat.max()))

emb, head = nn.Embedding(20, 8).to(device), nn.Linear(8, 3).to(device)
print(token_importance(emb, head, torch.randint(20, (2, 5), device=device)).shape)
