// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Packets with descriptors between the processes of this program.

use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use serde::{Serialize, de::DeserializeOwned};
use syclrtc_protocol::{MAX_PACKET, decode_packet, encode_packet};

/// Most descriptors that come with a packet.
const MAX_DESCRIPTORS: usize = 3;

/// Two ends that keep packets apart.
pub fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// Sends a value with descriptors. Waits for room.
pub fn send<T: Serialize>(socket: impl AsFd, value: &T, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let packet = encode_packet(value).map_err(io::Error::other)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    sendmsg(socket, &[IoSlice::new(&packet)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// What was received.
pub enum Received<T> {
    /// A value with its descriptors.
    Packet(T, Vec<OwnedFd>),
    /// Something that the other side cannot have meant; its descriptors are closed.
    Malformed,
    /// Nobody is at the other end.
    End,
}

/// Waits for a packet.
pub fn receive<T: DeserializeOwned>(socket: impl AsFd) -> io::Result<Received<T>> {
    let mut packet = [0; MAX_PACKET];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(socket, &mut [IoSliceMut::new(&mut packet)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    if received.bytes == 0 {
        return Ok(Received::End);
    }
    let mut descriptors = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(fds) = message {
            descriptors.extend(fds);
        }
    }
    if received.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
        return Ok(Received::Malformed);
    }
    match decode_packet(&packet[..received.bytes]) {
        Ok(value) => Ok(Received::Packet(value, descriptors)),
        Err(_) => Ok(Received::Malformed),
    }
}
