import torch
import torch.nn.functional as F

from lm import CharLM, repackage


def windows(stream, width):
    for start in range(0, stream.size(1) - 1, width):
        end = min(start + width, stream.size(1) - 1)
        yield stream[:, start:end], stream[:, start + 1:end + 1]


def run(device):
    torch.manual_seed(1)
    stream = torch.randint(20, (6, 61), device=device)
    model = CharLM(20).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(2):
        state = model.start(stream.size(0))
        for x, y in windows(stream, 12):
            state = repackage(state)
            optimizer.zero_grad()
            halves = []
            for xs, ys in zip(x.split(6, dim=1), y.split(6, dim=1)):
                logits, state = model(xs, state)
                halves.append(F.cross_entropy(logits.reshape(-1, 20), ys.reshape(-1)))
            loss = torch.stack(halves).mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
        print(epoch, loss.item())


run(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
