import torch
import torch.nn as nn

from charlm import CharLM
from corpus import TEXT, Vocabulary, segments

hp = {"batch": 4, "bptt": 16, "lr": 2e-3, "epochs": 2, "clip": 0.25}
device = "cuda" if torch.cuda.is_available() else "cpu"
vocab = Vocabulary(TEXT)
ids = vocab.encode(TEXT)
model = CharLM(len(vocab)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=hp["lr"])
criterion = nn.CrossEntropyLoss()


def run_epoch():
    model.reset()
    seen, running = 0, 0.0
    for x, y in segments(ids, hp["batch"], hp["bptt"]):
        logits = model(x.to(device))
        loss = criterion(logits.flatten(0, 1), y.to(device).flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), hp["clip"])
        optimizer.step()
        running, seen = running + loss.item(), seen + 1
    return running / seen


for epoch in range(hp["epochs"]):
    print(epoch, f"{run_epoch():.3f}")
print("".join(vocab.itos[i] for i in model.generate(0, 20)))
