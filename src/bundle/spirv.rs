// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What SPIR-V must never reach a driver.
//!
//! The scan always runs; it knows the one fault that LLVM's SPIR-V back end is known to make silently (an id defined
//! twice) and the one that a driver may answer by binding a name to the host process (an undefined symbol). The full
//! validator takes longer: it runs for every module that a program brings along, and for the compiler's in debug builds
//! or if `SYCLRTC_VALIDATE` is set.

use std::sync::LazyLock;

use rspirv::{
    grammar::{INSTRUCTION_TABLE, OperandKind},
    spirv::{Decoration, LinkageType, MAGIC_NUMBER, Op, StorageClass},
};
use spirv_tools::{
    TargetEnv,
    val::{self, Validator},
};

use crate::{env, os::process};

/// Why a module is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is not valid SPIR-V: a fault of whoever made it.
    Invalid(String),
    /// It uses functions or variables that are defined nowhere: a fault of the source.
    Undefined(Vec<String>),
}

/// Checks a module that the compiler made.
pub(super) fn check(bytes: &[u8]) -> Result<(), Fault> {
    let words = words(bytes)?;
    scan(&words)?;
    if cfg!(debug_assertions) || env::VALIDATE.value().is_some() {
        validate(&words, TargetEnv::Universal_1_6)?;
    }
    Ok(())
}

/// Checks a module that may be anything, for a device that takes SPIR-V up to this version, and gives it in words.
pub(super) fn check_foreign(bytes: &[u8], highest: (u8, u8)) -> Result<Vec<u32>, Fault> {
    let words = words(bytes)?;
    if words.len() < HEADER {
        return Err(Fault::Invalid(format!("{} bytes are less than the header of a SPIR-V module", bytes.len())));
    }
    if words[0] != MAGIC_NUMBER {
        return Err(Fault::Invalid(format!("the magic number is {:#010x}, not {MAGIC_NUMBER:#010x}", words[0])));
    }
    let [_, minor, major, _] = words[1].to_le_bytes();
    if (major, minor) > highest {
        let (highest_major, highest_minor) = highest;
        return Err(Fault::Invalid(format!(
            "it is SPIR-V {major}.{minor}, and the device takes up to {highest_major}.{highest_minor}"
        )));
    }
    scan(&words)?;
    let environment = match highest {
        (..=1, 0) => TargetEnv::Universal_1_0,
        (..=1, 1) => TargetEnv::Universal_1_1,
        (..=1, 2) => TargetEnv::Universal_1_2,
        (..=1, 3) => TargetEnv::Universal_1_3,
        (..=1, 4) => TargetEnv::Universal_1_4,
        (..=1, 5) => TargetEnv::Universal_1_5,
        _ => TargetEnv::Universal_1_6,
    };
    validate(&words, environment)?;
    check_padding(&words)?;
    Ok(words)
}

/// SPIR-V wants zeros behind the end of a text. The validator does not look, and Intel's driver ends the process over it.
fn check_padding(words: &[u32]) -> Result<(), Fault> {
    for (opcode, instruction) in instructions(words) {
        let first = match Op::from_u32(opcode.into()) {
            Some(Op::Extension | Op::SourceExtension | Op::ModuleProcessed) => 1,
            Some(Op::Name | Op::String | Op::ExtInstImport) => 2,
            Some(Op::MemberName | Op::EntryPoint) => 3,
            Some(Op::Decorate) if instruction.get(2) == Some(&(Decoration::LinkageAttributes as u32)) => 3,
            Some(Op::Source) => 4,
            _ => continue,
        };
        let bytes: Vec<u8> =
            instruction.get(first..).unwrap_or_default().iter().flat_map(|word| word.to_le_bytes()).collect();
        let Some(end) = bytes.iter().position(|byte| *byte == 0) else { continue };
        if bytes[end..].iter().take(4 - end % 4).any(|byte| *byte != 0) {
            return Err(Fault::Invalid(format!(
                "the text \"{}\" is not padded with zeros",
                text(&instruction[first..])
            )));
        }
    }
    Ok(())
}

/// The words in the host's order, whatever the module's is.
fn words(bytes: &[u8]) -> Result<Vec<u32>, Fault> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(Fault::Invalid(format!("its size of {} bytes is not a multiple of 4", bytes.len())));
    }
    let swapped = words.first() == Some(&MAGIC_NUMBER.to_be_bytes());
    let word = |bytes: &[u8; 4]| if swapped { u32::from_be_bytes(*bytes) } else { u32::from_le_bytes(*bytes) };
    Ok(words.iter().map(word).collect())
}

/// Words of the header: magic number, version, generator, bound of ids, schema.
pub(super) const HEADER: usize = 5;

/// The instructions of a module, each with its first word, until one does not fit.
pub(super) fn instructions(module: &[u32]) -> Instructions<'_> {
    Instructions { rest: module.get(HEADER..).unwrap_or_default() }
}

pub(super) struct Instructions<'a> {
    rest: &'a [u32],
}

impl<'a> Iterator for Instructions<'a> {
    /// Opcode, and the whole instruction.
    type Item = (u16, &'a [u32]);

    fn next(&mut self) -> Option<Self::Item> {
        let first = *self.rest.first()?;
        let (length, opcode) = ((first >> 16) as usize, (first & 0xffff) as u16);
        if length == 0 || length > self.rest.len() {
            return None;
        }
        let (instruction, behind) = self.rest.split_at(length);
        self.rest = behind;
        Some((opcode, instruction))
    }
}

/// Whether a module declares no variable in global memory, which would live as long as the program made from it.
pub(super) fn has_no_variables(module: &[u8]) -> bool {
    const GLOBAL: u32 = StorageClass::CrossWorkgroup as u32;
    let Ok(words) = words(module) else { return false };
    // Only those outside of functions can have this storage class.
    let mut outside = instructions(&words).take_while(|(opcode, _)| *opcode != Op::Function as u16);
    !outside.any(|(opcode, words)| opcode == Op::Variable as u16 && words.get(3) == Some(&GLOBAL))
}

/// A text at the beginning of these words.
pub(super) fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Most ids that SPIR-V lets a module have.
const MAX_BOUND: u32 = 0x3f_ffff;

fn scan(words: &[u32]) -> Result<(), Fault> {
    let invalid = |text: String| Err(Fault::Invalid(text));
    if words.len() < HEADER || words[0] != MAGIC_NUMBER {
        return invalid("it does not start with a SPIR-V header".into());
    }
    let bound = words[3];
    if bound > MAX_BOUND {
        return invalid(format!("its bound of ids is {bound}"));
    }
    // Drivers end the process over it, and the validator does not look.
    if words[4] != 0 {
        return invalid(format!("its instruction schema is {} and not 0", words[4]));
    }
    let mut defined = vec![false; bound as usize];
    let (mut imported, mut built_in) = (Vec::new(), Vec::new());
    let mut instructions = instructions(words);
    for (opcode, instruction) in instructions.by_ref() {
        if let Some(&id) = result_position(opcode).and_then(|position| instruction.get(position)) {
            match defined.get_mut(id as usize) {
                Some(seen) if !*seen && id != 0 => *seen = true,
                Some(_) => return invalid(format!("id {id} is defined more than once")),
                None => return invalid(format!("id {id} is outside the bound {bound}")),
            }
        }
        if opcode == Op::Decorate as u16 {
            imported.extend(import(instruction));
            built_in.extend(variable_of_the_driver(instruction));
        }
    }
    if !instructions.rest.is_empty() {
        return invalid(format!("word {} is no instruction that fits", words.len() - instructions.rest.len()));
    }
    // LLVM marks the variables that a driver provides, such as the global id, as imported, too.
    imported.retain(|(id, _)| !built_in.contains(id));
    if imported.is_empty() {
        return Ok(());
    }
    Err(Fault::Undefined(imported.into_iter().map(|(_, name)| name).collect()))
}

/// Where an instruction keeps the id that it defines. Instructions of unknown extensions are taken to define none.
fn result_position(opcode: u16) -> Option<usize> {
    /// Word of the id by opcode; 0 where there is none.
    static POSITIONS: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut positions = vec![0; usize::from(u16::MAX) + 1];
        for instruction in INSTRUCTION_TABLE.iter() {
            let operand = instruction.operands.iter().position(|operand| operand.kind == OperandKind::IdResult);
            if let (Some(operand), Some(position)) = (operand, positions.get_mut(instruction.opcode as usize)) {
                *position = operand as u8 + 1;
            }
        }
        positions
    });
    let position = usize::from(POSITIONS[usize::from(opcode)]);
    (position > 0).then_some(position)
}

/// Id and name, if the decoration says that it is imported.
fn import(decoration: &[u32]) -> Option<(u32, String)> {
    let [_, id, kind, name @ .., linkage] = decoration else { return None };
    if *kind != Decoration::LinkageAttributes as u32 || *linkage != LinkageType::Import as u32 {
        return None;
    }
    Some((*id, text(name)))
}

/// The id, if the decoration says that the driver provides it.
fn variable_of_the_driver(decoration: &[u32]) -> Option<u32> {
    match decoration {
        [_, id, kind, _] if *kind == Decoration::BuiltIn as u32 => Some(*id),
        _ => None,
    }
}

fn validate(words: &[u32], environment: TargetEnv) -> Result<(), Fault> {
    // Its tables are static objects; without them it calls good modules bad.
    if process::builds_are_over() {
        return Ok(());
    }
    let validator = val::create(Some(environment));
    validator.validate(words, None).map_err(|error| Fault::Invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(op: Op, operands: &[u32]) -> Vec<u32> {
        let mut words = vec![((operands.len() as u32 + 1) << 16) | op as u32];
        words.extend(operands);
        words
    }

    /// A module with one empty kernel `k`.
    fn module() -> Vec<u32> {
        let name = u32::from_le_bytes(*b"k\0\0\0");
        [
            vec![MAGIC_NUMBER, 0x0001_0400, 0, 5, 0],
            instruction(Op::Capability, &[4]),
            instruction(Op::Capability, &[6]),
            instruction(Op::MemoryModel, &[2, 2]),
            instruction(Op::EntryPoint, &[6, 3, name]),
            instruction(Op::TypeVoid, &[1]),
            instruction(Op::TypeFunction, &[2, 1]),
            instruction(Op::Function, &[1, 3, 0, 2]),
            instruction(Op::Label, &[4]),
            instruction(Op::Return, &[]),
            instruction(Op::FunctionEnd, &[]),
        ]
        .concat()
    }

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_good_module_passes_both_checks() {
        assert_eq!(check(&bytes(&module())), Ok(()));
    }

    #[test]
    fn an_id_defined_twice_is_found_by_the_scan() {
        let mut bad = module();
        bad.extend(instruction(Op::TypeVoid, &[1]));
        assert_eq!(scan(&bad), Err(Fault::Invalid("id 1 is defined more than once".into())));
        for id in [0, 5, u32::MAX] {
            let mut bad = module();
            bad.extend(instruction(Op::TypeVoid, &[id]));
            assert!(scan(&bad).is_err(), "{id}");
        }
    }

    #[test]
    fn an_unknown_schema_is_found_by_the_scan() {
        let mut bad = module();
        bad[4] = 1;
        assert_eq!(scan(&bad), Err(Fault::Invalid("its instruction schema is 1 and not 0".into())));
    }

    #[test]
    fn imports_are_named() {
        let name = u32::from_le_bytes(*b"f\0\0\0");
        let linkage = |kind: LinkageType| {
            let mut words = module();
            words.extend(instruction(Op::Decorate, &[3, Decoration::LinkageAttributes as u32, name, kind as u32]));
            words
        };
        assert_eq!(scan(&linkage(LinkageType::Import)), Err(Fault::Undefined(vec!["f".into()])));
        assert_eq!(scan(&linkage(LinkageType::Export)), Ok(()));
        let mut provided = linkage(LinkageType::Import);
        provided.extend(instruction(Op::Decorate, &[3, Decoration::BuiltIn as u32, 28]));
        assert_eq!(scan(&provided), Ok(()));
    }

    #[test]
    fn the_validator_has_the_last_word() {
        let mut bad = module();
        // A function type that nothing defines.
        bad[HEADER + 2 + 2 + 3 + 4 + 2 + 3 + 4] = 4;
        assert_eq!(scan(&bad), Ok(()));
        assert!(matches!(validate(&bad, TargetEnv::Universal_1_4), Err(Fault::Invalid(text)) if !text.is_empty()));
    }

    #[test]
    fn cut_and_changed_modules_are_refused_or_accepted_without_a_panic() {
        let good = bytes(&module());
        for cut in 0..good.len() {
            drop(words(&good[..cut]).and_then(|words| scan(&words)));
        }
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            drop(words(&bad).and_then(|words| scan(&words)));
        }
        assert!(scan(&[]).is_err());
    }
}
