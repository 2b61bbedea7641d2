import torch
from torch.utils.data import DataLoader

from data import RandomTags, collate
from tagger import Tagger


def run(epochs=1):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(RandomTags(12, 30, 5), batch_size=4, shuffle=True, collate_fn=collate)
    model = Tagger(30, 5).to(device)
    optim = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for batch in loader:
            batch = batch.to(device)
            loss = model.loss(batch)
            optim.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optim.step()
    print("last", loss.item())


if __name__ == "__main__":
    run()
