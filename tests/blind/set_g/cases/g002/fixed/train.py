import torch
import torch.nn.functional as F

from model import TinyLM

VOCAB = 50


def batches(n, device):
    for _ in range(n):
        yield torch.randint(1, VOCAB, (4, 17)).to(device)


def run(steps=3):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = TinyLM(VOCAB).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for i, seq in enumerate(batches(steps, device)):
        logits = model(seq[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, VOCAB), seq[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(i, loss.item())


if __name__ == "__main__":
    run()
