import torch
import torch.nn.functional as F

from hyper import GrowingMLP


def main(rounds=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = GrowingMLP().to(device)
    ids = torch.arange(2, device=device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for r in range(rounds):
        for step in range(4):
            x = torch.randn(32, 8, device=device)
            wanted = (x.sum(1, keepdim=True), x[:, :1] * x[:, 1:2])
            optimizer.zero_grad()
            loss = sum(F.mse_loss(model(x, t), w) for t, w in zip(ids, wanted))
            loss.backward()
            optimizer.step()
        layer = model.new_layer()
        optimizer.add_param_group({"params": list(layer.parameters()), "lr": 1e-3})
        print(r, len(model.hidden), loss.item())


if __name__ == "__main__":
    main()
