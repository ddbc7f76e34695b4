"""all-MiniLM-L6-v2 in numpy, float64 throughout: noise between machines stays far below what int8 quantising can see."""
import json

import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf

CLS, SEP = 101, 102


class Encoder:
    def __init__(self, folder):
        tensors = load_file(f"{folder}/model.safetensors")
        self.weights = {k.replace("bert.", ""): v.astype(np.float64) for k, v in tensors.items() if v.dtype != np.int64}
        with open(f"{folder}/config.json", encoding="utf-8") as f:
            config = json.load(f)
        self.heads, self.layers, self.eps = config["num_attention_heads"], config["num_hidden_layers"], config["layer_norm_eps"]
        self.vocabulary_size = config["vocab_size"]

    def _norm(self, x, name):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + self.eps)
        return scaled * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def _linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def _attention(self, x, layer):
        batch, length, _ = x.shape
        query, key, value = (self._linear(x, f"{layer}attention.self.{part}").reshape(batch, length, self.heads, -1).transpose(0, 2, 1, 3)
                             for part in ("query", "key", "value"))
        raw = query @ key.transpose(0, 1, 3, 2) / np.sqrt(query.shape[-1])
        share = np.exp(raw - raw.max(-1, keepdims=True))
        mixed = (share / share.sum(-1, keepdims=True)) @ value
        return self._linear(mixed.transpose(0, 2, 1, 3).reshape(batch, length, -1), layer + "attention.output.dense")

    def outputs(self, ids):
        """Last hidden states of equally long token rows."""
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:ids.shape[1]]
        x = self._norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for n in range(self.layers):
            layer = f"encoder.layer.{n}."
            x = self._norm(x + self._attention(x, layer), layer + "attention.output.LayerNorm")
            hidden = self._linear(x, layer + "intermediate.dense")
            hidden = 0.5 * hidden * (1 + erf(hidden / np.sqrt(2)))
            x = self._norm(x + self._linear(hidden, layer + "output.dense"), layer + "output.LayerNorm")
        return x

    def tokens_alone(self, batch=512):
        """One row a vocabulary token: the mean of the outputs of [CLS] token [SEP]."""
        size = self.vocabulary_size
        rows = (np.array([[CLS, j, SEP] for j in range(i, min(size, i + batch))]) for i in range(0, size, batch))
        return np.concatenate([self.outputs(ids).mean(1) for ids in rows])
