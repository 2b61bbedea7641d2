import torch
from torch import nn

from augment import two_views
from moco import MoCo


def main(steps=5):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = nn.Sequential(nn.Linear(10, 32), nn.ReLU(inplace=True), nn.Linear(32, 8))
    moco = MoCo(encoder, dim=8).to(device)
    optimizer = torch.optim.SGD(moco.query.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    for step in range(steps):
        loss = moco(*two_views(torch.randn(16, 10, device=device)))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    print(loss.item(), moco.head.item())


if __name__ == "__main__":
    main()
