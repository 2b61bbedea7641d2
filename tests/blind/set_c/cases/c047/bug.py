import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def build_index(encoder, corpus, device):
    encoder.eval()
    torch.set_grad_enabled(False)
    vectors = [encoder(doc.to(device)) for doc in corpus.split(8)]
    encoder.train()
    return torch.cat(vectors)


def hard_negatives(index, queries, k=2):
    sims = queries @ index.t()
    return sims.topk(k + 1, dim=1).indices[:, 1:]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    corpus = torch.randn(32, 10)
    encoder = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 6)).to(device)
    optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(torch.arange(32), corpus), batch_size=8)
    for epoch in range(2):
        index = build_index(encoder, corpus, device)
        for ids, docs in loader:
            neg = hard_negatives(index, index[ids.to(device)])
            q = encoder(docs.to(device) + 0.1 * torch.randn(len(docs), 10, device=device))
            pos_sim = (q * index[ids.to(device)]).sum(-1, keepdim=True)
            neg_sim = torch.einsum("bd,bkd->bk", q, index[neg])
            scores = torch.cat([pos_sim, neg_sim], dim=1)
            loss = nn.functional.cross_entropy(scores, torch.zeros(len(q), dtype=torch.long, device=device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
