import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from report import ConfusionMatrix, calibration, to_numpy


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    x = torch.randn(200, 8)
    loader = DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=40, shuffle=True)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.CrossEntropyLoss()

    history = []
    for epoch in range(3):
        model.train()
        losses = []
        for xb, yb in loader:
            loss = criterion(model(xb.to(device)), yb.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.detach())
        history.append(np.mean(torch.stack(losses).tolist()))

    matrix, conf, hit = ConfusionMatrix(3), [], []
    model.eval()
    with torch.no_grad():
        for xb, yb in loader:
            p, pred = model(xb.to(device)).softmax(1).max(1)
            matrix.update(pred, yb)
            conf.append(to_numpy(p))
            hit.append(pred.cpu().numpy() == yb.numpy())
    ece = calibration(np.concatenate(conf), np.concatenate(hit))
    norms = to_numpy([w.norm() for w in model.parameters()])
    largest = np.abs(model[0].weight.numpy(force=True)).max()
    print(np.round(history, 3), matrix.recall().round(2), round(ece, 3), norms.shape, largest)


if __name__ == "__main__":
    main()
