"""Which pixels matter? Plot the gradient of a class score with respect to the image."""

import matplotlib.pyplot as plt
import torch
from torch import nn


def make_model() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 10))


def saliency(model: nn.Module, image: torch.Tensor) -> torch.Tensor:
    image = image.clone().requires_grad_()
    normalized = (image - image.mean()) / image.std()
    scores = model(normalized)
    scores.max().backward()
    print("input gradient", normalized.grad)
    return image.grad.abs()


def main() -> None:
    device = "cuda"
    model = make_model().to(device)
    image = torch.rand(1, 1, 28, 28, device=device)

    probabilities = model(image).softmax(dim=1)
    plt.bar(range(10), probabilities[0].numpy())
    plt.savefig("probabilities.png")

    heat = saliency(model, image)
    plt.imshow(heat[0, 0].numpy())
    plt.savefig("saliency.png")


if __name__ == "__main__":
    main()
