import torch
import torch.nn.functional as F

from backbone import Classifier


class GradCam:
    def __init__(self, model, layer):
        self.model = model.eval()
        self.activation = None
        self.gradient = None
        layer.register_forward_hook(self._save)

    def _save(self, module, args, output):
        self.activation = output
        output.register_hook(self._keep_gradient)

    def _keep_gradient(self, grad):
        self.gradient = grad

    def __call__(self, images, target=None):
        scores = self.model(images.clone().requires_grad_(True))
        if target is None:
            target = scores.argmax(dim=1)
        picked = scores.gather(1, target.unsqueeze(1)).sum()
        self.model.zero_grad()
        picked.backward()
        weights = self.gradient.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.activation).sum(dim=1)).detach()
        cam = cam / cam.amax(dim=(1, 2), keepdim=True).clamp_min(1e-6)
        return F.interpolate(cam.unsqueeze(1), size=images.shape[-2:], mode="bilinear", align_corners=False)


def explain(images, n_class=4):
    model = Classifier(n_class)
    cam = GradCam(model, model.backbone.layer2)
    return cam(images)
