import torch
from torch import nn
from rnn import RNNModel, repackage

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
corpus = torch.randint(0, 25, (61, 4), device=device)
model = RNNModel().to(device)
criterion = nn.CrossEntropyLoss()
lr, bptt = 1.0, 10

for epoch in range(2):
    model.train()
    hidden = model.init_hidden(4)
    total = 0.0
    for i in range(0, len(corpus) - 1, bptt):
        data, targets = corpus[i:i + bptt], corpus[i + 1:i + 1 + bptt]
        model.zero_grad()
        hidden = repackage(hidden)
        output, hidden = model(data, hidden)
        loss = criterion(output.flatten(0, 1), targets.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        with torch.no_grad():
            for p in model.parameters():
                p.add_(p.grad, alpha=-lr)
        total += loss.item()
    print(epoch, total)
