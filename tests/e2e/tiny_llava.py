"""Builds a tiny LLaVA with random weights: python tiny_llava.py FOLDER (needs transformers)."""

from __future__ import annotations

import sys

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    CLIPImageProcessor,
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
)

SPECIAL = ["<unk>", "<s>", "</s>", "<pad>", "<image>"]
# fmt: off
WORDS = [
    "what", "is", "in", "the", "picture", "how", "many", "things", "are", "there",
    "box", "a", "cat", "dog", "red", "blue", "one", "two", "three",
]
# fmt: on
TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image> {% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %} {% endfor %}"
)
SIDE, PATCH = 32, 8


def tokenizer() -> PreTrainedTokenizerFast:
    """One token a word."""
    vocabulary = {word: k for k, word in enumerate(SPECIAL + WORDS)}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=words,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        additional_special_tokens=["<image>"],
    )


def main(folder: str) -> None:
    """Writes the model and its processor."""
    torch.manual_seed(7)
    size = len(SPECIAL + WORDS)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(
            **sizes, num_attention_heads=2, image_size=SIDE, patch_size=PATCH, projection_dim=32
        ),
        text_config=LlamaConfig(
            **sizes,
            vocab_size=size,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=256,
            bos_token_id=1,
            eos_token_id=2,
            pad_token_id=3,
        ),
        image_token_index=SPECIAL.index("<image>"),
        image_seq_length=(SIDE // PATCH) ** 2,
        vision_feature_layer=-1,
    )
    model = LlavaForConditionalGeneration(config).eval()
    # random weights of the usual size hardly look: larger ones make the pictures matter
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1 and "lm_head" not in name:
                weight.mul_(8)
    # nothing but words may come out
    model.generation_config.suppress_tokens = list(range(len(SPECIAL)))
    model.save_pretrained(folder)
    processor = LlavaProcessor(
        image_processor=CLIPImageProcessor(
            size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}
        ),
        tokenizer=tokenizer(),
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    )
    processor.save_pretrained(folder)


if __name__ == "__main__":
    main(sys.argv[1])
