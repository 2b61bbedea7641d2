import torch
import torch.nn as nn


class FeatureExtractor:
    """Keeps the outputs of chosen layers, moved to the host, while the context is open."""

    def __init__(self, model, names):
        self.model, self.names = model, set(names)
        self.store, self._handles = {}, []

    def __enter__(self):
        for name, module in self.model.named_modules():
            if name in self.names:
                self._handles.append(module.register_forward_hook(self._hook(name)))
        return self

    def _hook(self, name):
        def fn(module, args, output):
            self.store.setdefault(name, []).append(output.detach().flatten(1).cpu())
        return fn

    def __exit__(self, *exc):
        while self._handles:
            self._handles.pop().remove()
        return False

    def numpy(self):
        return {k: torch.cat(v).numpy() for k, v in self.store.items()}


class CAM:
    def __init__(self, model, layer):
        self.model = model
        self.acts = None
        layer.register_forward_hook(self.save)

    def save(self, module, args, out):
        if out.requires_grad:
            out.retain_grad()
        self.acts = out

    def __call__(self, x, cls):
        self.model.zero_grad()
        score = self.model(x)[:, cls].sum()
        score.backward()
        w = self.acts.grad.mean((2, 3), keepdim=True)
        cam = torch.relu((w * self.acts.detach()).sum(1))
        return (cam / cam.amax((1, 2), keepdim=True).clamp(min=1e-8)).cpu().numpy()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential()
    model.add_module("conv", nn.Conv2d(3, 8, 3, padding=1))
    model.add_module("act", nn.ReLU())
    model.add_module("pool", nn.AdaptiveAvgPool2d(2))
    model.add_module("flat", nn.Flatten())
    model.add_module("fc", nn.Linear(32, 5))
    model = model.to(device).eval()
    images = torch.rand(12, 3, 10, 10)
    with FeatureExtractor(model, ["pool", "fc"]) as fx, torch.no_grad():
        for chunk in images.split(5):
            model(chunk.to(device))
    feats = fx.numpy()
    print({k: v.shape for k, v in feats.items()}, feats["fc"].std(0))
    print(CAM(model, model.act)(images[:2].to(device), 3).shape)


if __name__ == "__main__":
    main()
