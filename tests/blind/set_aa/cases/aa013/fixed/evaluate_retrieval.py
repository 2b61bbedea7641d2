import torch
from torch.utils.data import DataLoader, Dataset

from retrieval.gather import embed_all
from retrieval.metrics import report
from retrieval.towers import TwoTower


class Pairs(Dataset):
    def __init__(self, n=20):
        self.image = torch.randn(n, 24)
        self.text = self.image[:, ::2] + 0.1 * torch.randn(n, 12)

    def __len__(self):
        return len(self.image)

    def __getitem__(self, i):
        return {"image": self.image[i], "text": self.text[i], "id": i}


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TwoTower().to(device)
    feats = embed_all(model, DataLoader(Pairs(), batch_size=6), device)
    for name, value in report(feats).items():
        print(name, value)


if __name__ == "__main__":
    main()
