import torch
from torch import nn
from base import PretrainedBase, Tokenizer


class SentenceEncoder(PretrainedBase):
    def __init__(self, dim=16):
        super().__init__()
        self.emb = nn.Embedding(61, dim, padding_idx=0)
        self.proj = nn.Linear(dim, dim)

    def forward(self, input_ids, attention_mask):
        h = self.emb(input_ids)
        mask = attention_mask.unsqueeze(-1).to(h.dtype)
        return self.proj((h * mask).sum(1) / mask.sum(1).clamp(min=1))


@torch.inference_mode()
def embed(model, tokenizer, sentences, batch_size=2):
    out = []
    for i in range(0, len(sentences), batch_size):
        inputs = tokenizer(sentences[i:i + batch_size]).to(model.device)
        out.append(nn.functional.normalize(model(**inputs), dim=-1).cpu())
    return torch.cat(out)


device = "cuda" if torch.cuda.is_available() else "cpu"
model = SentenceEncoder().to(device).eval()
vectors = embed(model, Tokenizer(), ["hello world", "hello there", "unrelated"])
print((vectors @ vectors.T).numpy().round(2))
