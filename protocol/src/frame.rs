// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Length-prefixed postcard frames on a byte stream.

use std::io::{self, Read, Write};

use serde::{Serialize, de::DeserializeOwned};

/// Largest frame either side accepts, in bytes: above the largest source text plus its include files, far below what
/// would exhaust memory.
pub const MAX_FRAME: u64 = 1 << 30;

/// Why a frame could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The stream ended before the first byte of a frame.
    #[error("the other side closed the connection")]
    Closed,
    /// The stream failed or ended inside a frame.
    #[error("connection failed: {0}")]
    Io(#[from] io::Error),
    /// The length is above [`MAX_FRAME`].
    #[error("frame of {0} bytes is over the limit of {MAX_FRAME}")]
    TooLong(u64),
    /// The bytes are not a value of the wanted type.
    #[error("malformed frame: {0}")]
    Malformed(#[from] postcard::Error),
}

/// Largest packet on the control socket, in bytes.
pub const MAX_PACKET: usize = 4096;

/// One value as the bytes of one packet of the control socket: postcard without a length, since packets keep their ends.
///
/// # Errors
/// [`FrameError::TooLong`] over [`MAX_PACKET`].
pub fn encode_packet<T: Serialize>(value: &T) -> Result<Vec<u8>, FrameError> {
    let body = postcard::to_stdvec(value)?;
    if body.len() > MAX_PACKET {
        return Err(FrameError::TooLong(body.len() as u64));
    }
    Ok(body)
}

/// The value in a packet received from the control socket.
///
/// # Errors
/// [`FrameError::Malformed`] if the bytes are not exactly one value.
pub fn decode_packet<T: DeserializeOwned>(packet: &[u8]) -> Result<T, FrameError> {
    match postcard::take_from_bytes(packet)? {
        (value, []) => Ok(value),
        _ => Err(FrameError::Malformed(postcard::Error::DeserializeBadEncoding)),
    }
}

/// Writes one value as a frame.
///
/// # Errors
/// [`FrameError::TooLong`] before anything is written; [`FrameError::Io`] as the stream says.
pub fn write_frame<T: Serialize>(stream: &mut impl Write, value: &T) -> Result<(), FrameError> {
    let body = postcard::to_stdvec(value)?;
    let length = body.len() as u64;
    if length > MAX_FRAME {
        return Err(FrameError::TooLong(length));
    }
    stream.write_all(&length.to_le_bytes())?;
    stream.write_all(&body)?;
    stream.flush()?;
    Ok(())
}

/// Reads one value.
///
/// # Errors
/// [`FrameError::Closed`] at a clean end of the stream, the others as they say. The length is checked before memory is
/// taken, and memory is taken as bytes arrive.
pub fn read_frame<T: DeserializeOwned>(stream: &mut impl Read) -> Result<T, FrameError> {
    let mut header = [0; 8];
    let mut filled = 0;
    while filled < header.len() {
        match stream.read(&mut header[filled..]) {
            Ok(0) if filled == 0 => return Err(FrameError::Closed),
            Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e.into()),
        }
    }
    let length = u64::from_le_bytes(header);
    if length > MAX_FRAME {
        return Err(FrameError::TooLong(length));
    }
    let mut body = Vec::new();
    stream.take(length).read_to_end(&mut body)?;
    if body.len() as u64 != length {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    Ok(postcard::from_bytes(&body)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hello, Reply};

    #[test]
    fn frames_round_trip_and_end_cleanly() {
        let reply = Reply::Failed { log: "rtc_0.cpp:1:1: error: no\0".into(), diagnostics: Vec::new() };
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &reply).unwrap();
        write_frame(&mut bytes, &reply).unwrap();
        let mut stream = bytes.as_slice();
        assert_eq!(read_frame::<Reply>(&mut stream).unwrap(), reply);
        assert_eq!(read_frame::<Reply>(&mut stream).unwrap(), reply);
        assert!(matches!(read_frame::<Reply>(&mut stream), Err(FrameError::Closed)));
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_an_error_or_a_value() {
        let hello = Hello { protocol: 1, version: "0.1.0".into(), compiler: "clang".into() };
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &hello).unwrap();
        for cut in 0..bytes.len() {
            assert!(read_frame::<Hello>(&mut &bytes[..cut]).is_err());
        }
        for bit in 0..bytes.len() * 8 {
            let mut bad = bytes.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            drop(read_frame::<Hello>(&mut bad.as_slice()));
        }
    }

    #[test]
    fn packets_round_trip_and_refuse_a_tail() {
        let hello = Hello { protocol: 1, version: "0.1.0".into(), compiler: "clang".into() };
        let mut packet = encode_packet(&hello).unwrap();
        assert_eq!(decode_packet::<Hello>(&packet).unwrap(), hello);
        packet.push(0);
        assert!(decode_packet::<Hello>(&packet).is_err());
    }

    #[test]
    fn a_length_over_the_limit_is_refused_before_memory_is_taken() {
        let bytes = (MAX_FRAME + 1).to_le_bytes();
        assert!(matches!(read_frame::<Hello>(&mut bytes.as_slice()), Err(FrameError::TooLong(_))));
    }
}
