// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which string stands for which kernel or device global.

use crate::image::{DeviceGlobal, KernelInfo, LeftOut, Table};

/// The kernel that a string stands for: a registered string, the plain name of an `extern "C"` function, a raw name, or
/// a plain mangled name; else a registered string that differs in white space only.
pub(super) fn kernel<'a>(table: &'a Table, name: &str) -> Option<&'a KernelInfo> {
    let by_raw = |raw: &str| table.kernels.iter().find(|kernel| kernel.raw_name == raw);
    registered(table, name)
        .and_then(by_raw)
        .or_else(|| table.kernels.iter().find(|kernel| kernel.plain_name.as_deref() == Some(name)))
        .or_else(|| by_raw(name))
        .or_else(|| table.kernels.iter().find(|kernel| kernel.mangled_name == name))
        .or_else(|| registered_loosely(table, name).find_map(by_raw))
}

/// The kernel that is not there since the target lacks what it needs.
pub(super) fn left_out<'a>(table: &'a Table, name: &str) -> Option<&'a LeftOut> {
    let is = |left: &&LeftOut| left.raw_name == name || left.names.iter().any(|known| known == name);
    let same = |left: &&LeftOut| left.names.iter().any(|known| without_blanks(known) == without_blanks(name));
    table.left_out.iter().find(is).or_else(|| table.left_out.iter().find(same))
}

/// The device global that a string stands for: a registered string, the qualified name with or without a leading `::`,
/// or the symbol; else a registered string that differs in white space only.
pub(super) fn device_global<'a>(table: &'a Table, name: &str) -> Option<&'a DeviceGlobal> {
    let by_symbol = |symbol: &str| table.device_globals.iter().find(|global| global.symbol == symbol);
    let qualified = name.strip_prefix("::").unwrap_or(name);
    registered(table, name)
        .and_then(by_symbol)
        .or_else(|| table.device_globals.iter().find(|global| global.name == qualified))
        .or_else(|| by_symbol(name))
        .or_else(|| registered_loosely(table, name).find_map(by_symbol))
}

/// What the registered string stands for.
fn registered<'a>(table: &'a Table, name: &str) -> Option<&'a str> {
    table.registered_names.iter().find(|(string, _)| string == name).map(|(_, symbol)| symbol.as_str())
}

fn registered_loosely<'a>(table: &'a Table, name: &str) -> impl Iterator<Item = &'a str> {
    let wanted = without_blanks(name);
    let same = move |(string, _): &&(String, String)| without_blanks(string) == wanted;
    table.registered_names.iter().filter(same).map(|(_, symbol)| symbol.as_str())
}

/// Pairs of punctuators that are another token without the blank between them. `>>` is not among them: since C++11 it
/// closes two template argument lists.
const MERGING: &[&str] = &[
    "++", "--", "&&", "||", "<<", "==", "->", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "!=", "<=", ">=", "::",
    "##", ".*", "..",
];

/// The expression with blanks only where they separate tokens: `k< int >` and `k<int>` are the same, `unsigned int` is
/// not `unsignedint`. Characters and strings are left as they are.
fn without_blanks(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut blank = false;
    // Whether the word at the end of the result began with a digit: a quote in it separates digits.
    let mut number = false;
    while let Some(c) = rest.next() {
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if blank && result.chars().next_back().is_some_and(|last| keeps_blank(last, c)) {
            result.push(' ');
        }
        let continues = !blank && result.chars().next_back().is_some_and(is_word);
        blank = false;
        if is_word(c) && !continues {
            number = c.is_ascii_digit();
        }
        result.push(c);
        let literal = c == '"' || (c == '\'' && !(continues && number));
        while literal && let Some(inner) = rest.next() {
            result.push(inner);
            if inner == '\\' {
                result.extend(rest.next());
            } else if inner == c {
                break;
            }
        }
    }
    result
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn keeps_blank(left: char, right: char) -> bool {
    is_word(left) && is_word(right) || MERGING.iter().any(|pair| pair.chars().eq([left, right]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{KernelKind, KernelProperties};

    fn kernel_of(raw: &str, plain: Option<&str>, mangled: &str) -> KernelInfo {
        KernelInfo {
            raw_name: raw.into(),
            plain_name: plain.map(Into::into),
            mangled_name: mangled.into(),
            kind: KernelKind::SingleTask,
            parameters: Vec::new(),
            properties: KernelProperties::default(),
            aspects: Vec::new(),
            scratch: false,
        }
    }

    fn table() -> Table {
        let registered = [
            ("ff<int>", "_Z16__sycl_kernel_ffIiEvPT_"),
            ("(void(*)(float, float*))iota", "_Z18__sycl_kernel_iotafPf"),
            ("&ns::counter", "_ZN2ns7counterE"),
        ];
        let global = |name: &str, symbol: &str| DeviceGlobal {
            name: name.into(),
            symbol: symbol.into(),
            size: 4,
            align: 4,
            offset: 0,
            image_scope: false,
        };
        Table {
            kernels: vec![
                kernel_of("__sycl_kernel_iota", Some("iota"), "iota"),
                kernel_of("_Z18__sycl_kernel_iotafPf", None, "_Z4iotafPf"),
                kernel_of("_Z16__sycl_kernel_ffIiEvPT_", None, "_Z2ffIiEvPT_"),
            ],
            registered_names: registered.map(|(string, symbol)| (string.into(), symbol.into())).to_vec(),
            device_globals: vec![global("ns::counter", "_ZN2ns7counterE"), global("plain", "plain")],
            left_out: vec![LeftOut {
                raw_name: "__sycl_kernel_d".into(),
                names: vec!["d".into(), "k<double>".into()],
                missing: vec![6],
            }],
            ..Table::default()
        }
    }

    #[test]
    fn each_kind_of_name_finds_its_kernel() {
        let table = table();
        for (name, raw) in [
            ("iota", "__sycl_kernel_iota"),
            ("__sycl_kernel_iota", "__sycl_kernel_iota"),
            ("(void(*)(float, float*))iota", "_Z18__sycl_kernel_iotafPf"),
            ("( void (*) ( float,float * ) ) iota", "_Z18__sycl_kernel_iotafPf"),
            ("_Z4iotafPf", "_Z18__sycl_kernel_iotafPf"),
            ("_Z18__sycl_kernel_iotafPf", "_Z18__sycl_kernel_iotafPf"),
            ("ff<int>", "_Z16__sycl_kernel_ffIiEvPT_"),
            (" ff <\tint\n> ", "_Z16__sycl_kernel_ffIiEvPT_"),
        ] {
            assert_eq!(kernel(&table, name).map(|kernel| kernel.raw_name.as_str()), Some(raw), "{name}");
        }
        // Only registered strings are expressions, in which white space means nothing.
        for name in ["", "ff", "f f<int>", "iota ", "Iota", "_Z4iota", "ns::counter", "d"] {
            assert!(kernel(&table, name).is_none(), "{name}");
        }
    }

    #[test]
    fn an_exact_match_wins() {
        let mut table = table();
        table.registered_names =
            vec![("k< 1>".into(), "_Z16__sycl_kernel_ffIiEvPT_".into()), ("k<1>".into(), "__sycl_kernel_iota".into())];
        assert_eq!(kernel(&table, "k<1>").unwrap().raw_name, "__sycl_kernel_iota");
        assert_eq!(kernel(&table, "k< 1>").unwrap().raw_name, "_Z16__sycl_kernel_ffIiEvPT_");
        assert_eq!(kernel(&table, "k<1 >").unwrap().raw_name, "_Z16__sycl_kernel_ffIiEvPT_");
    }

    #[test]
    fn device_globals_are_found_by_qualified_and_registered_names() {
        let table = table();
        for name in ["ns::counter", "::ns::counter", "&ns::counter", "& ns :: counter", "_ZN2ns7counterE"] {
            assert_eq!(device_global(&table, name).map(|global| global.name.as_str()), Some("ns::counter"), "{name}");
        }
        for name in ["counter", "ns::", "::", "", "iota"] {
            assert!(device_global(&table, name).is_none(), "{name}");
        }
        assert!(device_global(&table, "::plain").is_some());
    }

    #[test]
    fn kernels_that_were_left_out_are_known_by_all_their_names() {
        let table = table();
        for name in ["__sycl_kernel_d", "d", "k<double>", "k< double >"] {
            assert!(left_out(&table, name).is_some(), "{name}");
        }
        assert!(left_out(&table, "iota").is_none());
    }

    #[test]
    fn blanks_stay_where_they_separate_tokens() {
        for (text, expected) in [
            ("k< int >", "k<int>"),
            ("k<v<int> >", "k<v<int>>"),
            ("(void (*)(unsigned  int))k", "(void(*)(unsigned int))k"),
            ("k< ::T>", "k<::T>"),
            ("k<- -1>", "k<- -1>"),
            ("k<a & &b>", "k<a& &b>"),
            ("k<' '>", "k<' '>"),
            ("k<'\\''  , 1>", "k<'\\'',1>"),
            ("k<1'000 , 2>", "k<1'000,2>"),
            ("k<u8'a' , 2>", "k<u8'a',2>"),
            ("f<\"a  b\" >", "f<\"a  b\">"),
            ("k<'", "k<'"),
            ("k<'\\", "k<'\\"),
            ("  ", ""),
        ] {
            assert_eq!(without_blanks(text), expected, "{text}");
        }
    }
}
