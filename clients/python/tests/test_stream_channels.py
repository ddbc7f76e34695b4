"""Channels of streams: which one a stream begins on, and when one is closed."""

from __future__ import annotations

from itertools import count

from mneme._stream_channels import StreamChannels


def channels_of() -> tuple[StreamChannels[str], list[str]]:
    closed: list[str] = []
    numbers = count(1)
    return StreamChannels(lambda: f"channel {next(numbers)}", closed.append), closed


def test_a_silent_channel_is_closed_when_its_other_streams_have_ended() -> None:
    channels, closed = channels_of()
    silent, other = channels.take(), channels.take()
    assert (silent, other) == ("channel 1", "channel 1")
    channels.replace(silent)
    channels.release(silent)
    assert channels.take() == "channel 2"
    assert closed == []
    channels.release(other)
    assert closed == ["channel 1"]


def test_streams_that_are_silent_on_one_channel_share_the_next_one() -> None:
    channels, closed = channels_of()
    streams = [channels.take(), channels.take()]
    channels.replace(streams[0])
    assert channels.take() == "channel 2"
    channels.replace(streams[1])
    assert channels.take() == "channel 2"
    for stream in streams:
        channels.release(stream)
    assert closed == ["channel 1"]


def test_a_channel_stays_open_without_streams() -> None:
    channels, closed = channels_of()
    channels.release(channels.take())
    assert closed == []
    assert channels.take() == "channel 1"


def test_a_stream_that_is_silent_as_it_ends_leaves_no_channel_open() -> None:
    channels, closed = channels_of()
    stream = channels.take()
    channels.release(stream)
    channels.replace(stream)
    assert closed == ["channel 1"]


def test_closing_takes_all_channels() -> None:
    channels, closed = channels_of()
    stream = channels.take()
    channels.replace(stream)
    channels.take()
    assert channels.take_all() == ["channel 1", "channel 2"]
    channels.release(stream)
    assert closed == []
