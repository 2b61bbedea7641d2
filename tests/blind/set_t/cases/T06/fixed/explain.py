import torch
from net import SmallSegmenter, preprocess


class Saliency:
    """Input gradients for the pixels of one class, averaged over noisy copies."""

    def __init__(self, model, samples=4, noise=0.1):
        self.model = model.eval().requires_grad_(False)
        self.samples = samples
        self.noise = noise

    def single(self, images, target):
        images = images.clone().requires_grad_()
        x = preprocess(images)
        logits = self.model(x)
        mask = logits.argmax(1) == target
        score = (logits[:, target] * mask).sum()
        score.backward()
        return images.grad.abs().amax(dim=1)

    def __call__(self, images, target):
        total = torch.zeros(images.size(0), *images.shape[2:], device=images.device)
        for _ in range(self.samples):
            noisy = images + self.noise * torch.randn_like(images)
            total += self.single(noisy, target)
        return total / self.samples


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SmallSegmenter().to(device)
    explainer = Saliency(model)
    images = torch.rand(2, 3, 16, 16, device=device)
    for target in range(4):
        heat = explainer(images, target)
        print(target, heat.shape, heat.max().item())


if __name__ == "__main__":
    main()
