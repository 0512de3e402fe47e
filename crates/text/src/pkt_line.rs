//! Packets: lengths in four hexadecimal digits, each with so many bytes, and a flush packet between lists
//! (gitprotocol-common, "pkt-line Format").

use std::io::{self, Read, Write};

use bstr::ByteSlice;

/// The most bytes that one packet carries.
pub const MOST: usize = 65516;

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packet {
    /// Bytes; they are in the caller's buffer.
    Data,
    /// The end of a list (`0000`).
    Flush,
    /// A mark within a list (`0001`).
    Delimiter,
    /// The end of an answer (`0002`).
    ResponseEnd,
    /// Nothing more comes.
    End,
}

/// Writes one packet, whose bytes are at most [`MOST`].
///
/// # Errors
/// When the bytes are too many for a packet, or cannot be written.
pub fn write(out: &mut dyn Write, data: &[u8]) -> io::Result<()> {
    if data.len() > MOST {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too much for a packet"));
    }
    write!(out, "{:04x}", data.len() + 4)?;
    out.write_all(data)
}

/// Writes a packet that holds a line of text; its end is added.
///
/// # Errors
/// As [`write()`].
pub fn write_line(out: &mut dyn Write, parts: &[&[u8]]) -> io::Result<()> {
    let mut line = parts.concat();
    line.push(b'\n');
    write(out, &line)
}

/// Writes a flush packet.
///
/// # Errors
/// When it cannot be written.
pub fn write_flush(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"0000")
}

/// Reads a packet; its bytes replace those of `data`.
///
/// # Errors
/// When input ends within a packet, its length is none, or it cannot be read.
pub fn read(input: &mut dyn Read, data: &mut Vec<u8>) -> io::Result<Packet> {
    data.clear();
    let mut head = [0; 4];
    let mut got = 0;
    while got < head.len() {
        match input.read(&mut head[got..]) {
            Ok(0) if got == 0 => return Ok(Packet::End),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => got += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let bad = || {
        let text = format!("bad line length character: {}", head.as_bstr());
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    let mut length = 0;
    for digit in head {
        length = length * 16 + char::from(digit).to_digit(16).ok_or_else(bad)? as usize;
    }
    match length {
        0 => Ok(Packet::Flush),
        1 => Ok(Packet::Delimiter),
        2 => Ok(Packet::ResponseEnd),
        3 => Err(bad()),
        _ => {
            data.resize(length - 4, 0);
            input.read_exact(data)?;
            Ok(Packet::Data)
        }
    }
}

/// Reads a packet that holds a line of text, whose end is taken off.
///
/// # Errors
/// As [`read`].
pub fn read_line(input: &mut dyn Read, line: &mut Vec<u8>) -> io::Result<Packet> {
    let packet = read(input, line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok(packet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_come_back() {
        let mut out = Vec::new();
        write_line(&mut out, &[b"key=", b"value"]).unwrap();
        write(&mut out, b"").unwrap();
        write_flush(&mut out).unwrap();
        write(&mut out, &vec![7; MOST]).unwrap();
        assert!(write(&mut out, &vec![7; MOST + 1]).is_err());
        assert!(out.starts_with(b"000ekey=value\n00040000fff0"));
        let mut input = &out[..];
        let mut data = Vec::new();
        assert_eq!((read_line(&mut input, &mut data).unwrap(), &data[..]), (Packet::Data, &b"key=value"[..]));
        assert_eq!((read(&mut input, &mut data).unwrap(), data.len()), (Packet::Data, 0));
        assert_eq!(read(&mut input, &mut data).unwrap(), Packet::Flush);
        assert_eq!((read(&mut input, &mut data).unwrap(), data.len()), (Packet::Data, MOST));
        assert_eq!(read(&mut input, &mut data).unwrap(), Packet::End);
        for bad in [&b"00"[..], b"0003", b"00zz", b"0006a", b"+004"] {
            assert!(read(&mut &*bad, &mut data).is_err());
        }
    }
}
