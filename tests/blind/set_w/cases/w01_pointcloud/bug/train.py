import argparse
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from net import PointNet2


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()
    model = PointNet2(5).to(args.device)
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    loader = DataLoader(TensorDataset(torch.randn(16, 64, 3), torch.randint(0, 5, (16,))), 8, shuffle=True)
    for epoch in range(args.epochs):
        for cloud, label in loader:
            cloud, label = cloud.to(args.device), label.to(args.device)
            opt.zero_grad()
            loss = F.cross_entropy(model(cloud), label)
            loss.backward()
            opt.step()


if __name__ == "__main__":
    main()
