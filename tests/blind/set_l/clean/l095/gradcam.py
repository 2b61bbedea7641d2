import torch
import torch.nn.functional as F


class GradCAM:
    def __init__(self, model, layer):
        self.model = model
        self.maps = None
        self.handle = layer.register_forward_hook(self._keep)

    def _keep(self, module, args, output):
        if output.requires_grad:
            output.retain_grad()
        self.maps = output

    def __call__(self, x, target=None):
        self.model.eval()
        self.model.zero_grad()
        logits = self.model(x)
        if target is None:
            target = logits.argmax(1)
        logits[torch.arange(len(x)), target].sum().backward()
        weight = self.maps.grad.mean((2, 3), keepdim=True)
        cam = F.relu((weight * self.maps.detach()).sum(1))
        cam = cam / cam.flatten(1).max(1).values.clamp(min=1e-8)[:, None, None]
        self.model.zero_grad()
        self.maps = None
        return cam.cpu().numpy(), target.tolist()

    def close(self):
        self.handle.remove()
